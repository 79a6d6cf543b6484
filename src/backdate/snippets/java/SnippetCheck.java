import com.sun.source.util.JavacTask;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Says of pieces of Java what the compiler of a release says of them: all in one process, nothing of them is run.
 *
 * <p>Called with a folder that holds {@code rows.tsv} (a line each: file, class, names separated by blanks), the file
 * to write, and the releases. It writes a line each, parts separated by tabs:
 *
 * <pre>
 * diagnostic FILE RELEASE CODE LINE MESSAGE
 * name       FILE RELEASE NAME gone|present|deprecated|for-removal
 * trouble    FILE RELEASE MESSAGE
 * release    RELEASE unknown
 * </pre>
 */
public final class SnippetCheck {
    private static final int MOST_DIAGNOSTICS = 200;
    private static final int LONGEST_MESSAGE = 400;

    private SnippetCheck() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Paths.get(arguments[0]);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (BufferedWriter out = Files.newBufferedWriter(Paths.get(arguments[1]), StandardCharsets.UTF_8)) {
            for (String row : Files.readAllLines(folder.resolve("rows.tsv"), StandardCharsets.UTF_8)) {
                String[] parts = row.split("\t", -1);
                String source = Files.readString(folder.resolve(parts[0]), StandardCharsets.UTF_8);
                for (int at = 2; at < arguments.length; at++) {
                    try {
                        check(compiler, parts, source, arguments[at], out);
                    } catch (IllegalArgumentException error) {
                        line(out, "release", arguments[at], "unknown");
                    } catch (RuntimeException | StackOverflowError | IOException error) {
                        line(out, "trouble", parts[0], arguments[at], error.toString());
                    }
                    out.flush();
                }
            }
        }
    }

    private static void check(JavaCompiler compiler, String[] row, String source, String release, BufferedWriter out)
            throws IOException {
        DiagnosticCollector<JavaFileObject> seen = new DiagnosticCollector<>();
        List<String> options = List.of(
                "--release", release, "-Xlint:deprecation,removal", "-proc:none",
                "-Xmaxwarns", "1000", "-Xmaxerrs", "1000");
        JavacTask task = (JavacTask) compiler.getTask(
                new StringWriter(), null, seen, options, null, List.of(new Source(row[1], source)));
        task.analyze();
        int told = 0;
        for (Diagnostic<? extends JavaFileObject> each : seen.getDiagnostics()) {
            if (told++ < MOST_DIAGNOSTICS) {
                String at = Long.toString(each.getLineNumber());
                line(out, "diagnostic", row[0], release, each.getCode(), at, each.getMessage(Locale.ROOT));
            }
        }
        Elements elements = task.getElements();
        for (String name : row[2].split(" ")) {
            if (!name.isEmpty()) {
                line(out, "name", row[0], release, name, state(elements, elements.getTypeElement(name)));
            }
        }
    }

    private static String state(Elements elements, TypeElement type) {
        if (type == null) {
            return "gone";
        }
        if (!elements.isDeprecated(type)) {
            // a type of a package that is deprecated as a whole
            return elements.isDeprecated(elements.getPackageOf(type)) ? "deprecated" : "present";
        }
        Deprecated marked = type.getAnnotation(Deprecated.class);
        return marked != null && marked.forRemoval() ? "for-removal" : "deprecated";
    }

    private static void line(BufferedWriter out, String... parts) throws IOException {
        for (int at = 0; at < parts.length; at++) {
            String text = parts[at].length() > LONGEST_MESSAGE ? parts[at].substring(0, LONGEST_MESSAGE) : parts[at];
            out.write(text.replaceAll("\\s+", " ").trim());
            out.write(at + 1 < parts.length ? '\t' : '\n');
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
