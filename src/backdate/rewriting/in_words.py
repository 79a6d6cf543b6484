"""What a rewrite does, as people read it."""

from __future__ import annotations

from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody, ChangeParameter
from backdate.rewriting.rewrite import (
    AddArgument,
    CallAtStart,
    ChangeArgument,
    ChangeLiteralType,
    DecoratedCoroutine,
    DefineHere,
    DropDecorator,
    DropImport,
    NamePositional,
    RenameAttribute,
    ReplaceAssignment,
    ReplaceItem,
    ReplaceName,
    ReplaceUse,
    RespellText,
    Rewrite,
)


def in_words(rewrite: Rewrite) -> str:
    """What a rewrite does, in one line; "" for those that no row says."""
    match rewrite:
        case ReplaceName():
            return f"{rewrite.old} becomes {rewrite.new}"
        case RenameAttribute():
            around = f" with @{rewrite.around} below it" if rewrite.around else ""
            return f"{rewrite.owner}.{rewrite.old} becomes .{rewrite.new}{around}"
        case ChangeArgument():
            where = f" where it is {rewrite.only_value}" if rewrite.only_value else ""
            where += "".join(f" where {{{name}}} is like {pattern}" for name, pattern in rewrite.beside)
            if not rewrite.new:
                return f"{rewrite.argument}= of {rewrite.function} is left out{where}"
            value = rewrite.value or "{value}"
            return f"{rewrite.argument}= of {rewrite.function} becomes {rewrite.new}={value}{where}"
        case AddArgument():
            return f"{rewrite.function} is given {rewrite.argument}={rewrite.value}"
        case NamePositional():
            return f"arguments of {rewrite.function} become keywords: {', '.join(rewrite.names)}"
        case ReplaceUse():
            given = ", ".join(f"{{{name}}} is {code}" for name, code in rewrite.only.items())
            return f"{rewrite.target} becomes {rewrite.template}{f' where {given}' if given else ''}"
        case ReplaceAssignment():
            return f"{rewrite.target} = {{value}} becomes {rewrite.template}"
        case ReplaceItem():
            then = f".{rewrite.then}" if rewrite.then else ""
            of = "{self}" if rewrite.target == ".__getitem__" else rewrite.target
            return f"{of}[{{key}}]{then} becomes {rewrite.template}"
        case ChangeParameter():
            of, methods = " or ".join(rewrite.of), " and ".join(rewrite.methods)
            whose = f"{methods} of {of}" if methods else f"what @{of} decorates"
            return f"{whose} takes {rewrite.adds}" if rewrite.adds else f"{whose} loses {rewrite.drops}"
        case ChangeClassBody():
            of = f"{rewrite.within or 'the body'} of classes from {' or '.join(rewrite.of)}"
            made = [f"{old} becomes {new}" if new else f"{old} goes" for old, new in rewrite.attributes]
            return f"in {of}: {', '.join((*made, *(f'{new} is added' for new in rewrite.adds)))}"
        case BaseBehind():
            return f"classes from {' or '.join(rewrite.of)} have the base class {rewrite.base} behind it"
        case DefineHere():
            return f"{rewrite.name} is defined in files that use it"
        case CallAtStart():
            return f"{rewrite.function}({rewrite.arguments}) is called behind the imports"
        case RespellText():
            return ", ".join(f"{old} in a text becomes {new}" for old, new in rewrite.texts)
        case ChangeLiteralType(to="str"):
            return "literals of bytes are texts"
        case ChangeLiteralType():
            return "literal texts are bytes"
        case DropImport():
            return f"an import of {rewrite.name} that nothing uses is left out"
        case DropDecorator():
            return f"@{rewrite.decorator} is left out"
        case DecoratedCoroutine():
            return f"@{rewrite.decorator} and yield from become async def and await"
        case _:
            return ""
