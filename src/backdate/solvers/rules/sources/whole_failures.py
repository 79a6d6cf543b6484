"""What knows a failure of code's shape as a whole, beyond what a message says of its own line."""

from __future__ import annotations

from backdate.solvers.rules.sources.app_contexts import app_contexts
from backdate.solvers.rules.sources.app_names import whole_app_name
from backdate.solvers.rules.sources.attribute_targets import attribute_targets
from backdate.solvers.rules.sources.autocommit_blocks import autocommit_blocks
from backdate.solvers.rules.sources.backref_cascades import backref_cascades
from backdate.solvers.rules.sources.became_modules import became_modules
from backdate.solvers.rules.sources.bound_metadata import bound_metadata
from backdate.solvers.rules.sources.built_in_items import built_in_items
from backdate.solvers.rules.sources.by_position import by_position
from backdate.solvers.rules.sources.called_back import called_back
from backdate.solvers.rules.sources.chosen_methods import chosen_methods
from backdate.solvers.rules.sources.class_bodies import class_bodies
from backdate.solvers.rules.sources.class_methods import class_methods
from backdate.solvers.rules.sources.coerced_numbers import coerced_numbers
from backdate.solvers.rules.sources.command_names import command_names
from backdate.solvers.rules.sources.compared_arrays import compared_arrays
from backdate.solvers.rules.sources.constrained_types import constrained_types
from backdate.solvers.rules.sources.copied_frames import copied_frames
from backdate.solvers.rules.sources.dataclass_defaults import default_factories
from backdate.solvers.rules.sources.declared_fields import declared_fields
from backdate.solvers.rules.sources.django_templates import django_templates
from backdate.solvers.rules.sources.dropped_alphabets import dropped_alphabets
from backdate.solvers.rules.sources.dropped_items import dropped_items
from backdate.solvers.rules.sources.exact_types import exact_types
from backdate.solvers.rules.sources.field_metadata import field_metadata
from backdate.solvers.rules.sources.grouped_errors import grouped_errors
from backdate.solvers.rules.sources.handed_on import handed_on
from backdate.solvers.rules.sources.hdf5_texts import hdf5_texts
from backdate.solvers.rules.sources.implicit_commits import commits
from backdate.solvers.rules.sources.index_arrays import made_whole
from backdate.solvers.rules.sources.index_nodes import index_nodes
from backdate.solvers.rules.sources.joined_lists import joined_lists
from backdate.solvers.rules.sources.json_settings import json_settings
from backdate.solvers.rules.sources.json_values import json_values
from backdate.solvers.rules.sources.kept_arguments import kept_arguments
from backdate.solvers.rules.sources.kept_contexts import kept_contexts
from backdate.solvers.rules.sources.late_sessions import late_sessions
from backdate.solvers.rules.sources.listed_arguments import listed_arguments
from backdate.solvers.rules.sources.log_records import log_records
from backdate.solvers.rules.sources.mapped_rows import mapped_rows
from backdate.solvers.rules.sources.marked_values import marked_values
from backdate.solvers.rules.sources.meta_indexes import meta_indexes
from backdate.solvers.rules.sources.missing_labels import missing_labels
from backdate.solvers.rules.sources.mixed_enums import shown_as_before
from backdate.solvers.rules.sources.names_in_texts import names_in_texts
from backdate.solvers.rules.sources.old_finders import old_finders
from backdate.solvers.rules.sources.old_runners import old_runners
from backdate.solvers.rules.sources.old_tests import module_setups_of, old_tests
from backdate.solvers.rules.sources.other_errors import errors_of_other_classes
from backdate.solvers.rules.sources.overridden_methods import overridden_methods
from backdate.solvers.rules.sources.package_versions import version_of
from backdate.solvers.rules.sources.passed_instances import passed_instances
from backdate.solvers.rules.sources.patched_names import patched_names
from backdate.solvers.rules.sources.raised_instead import raised_instead
from backdate.solvers.rules.sources.random_states import random_states
from backdate.solvers.rules.sources.read_only_arrays import made_writable
from backdate.solvers.rules.sources.relative_redirects import relative_redirects
from backdate.solvers.rules.sources.renamed_fields import renamed_fields
from backdate.solvers.rules.sources.returned_checks import returned_checks
from backdate.solvers.rules.sources.returned_commands import returned_commands
from backdate.solvers.rules.sources.same_literals import same_literals
from backdate.solvers.rules.sources.scoped_flags import scoped_flags
from backdate.solvers.rules.sources.small_integers import widened_integers
from backdate.solvers.rules.sources.starred_builtins import starred_builtins
from backdate.solvers.rules.sources.stop_iterations import ended_generators
from backdate.solvers.rules.sources.timed_serializers import timed_serializers
from backdate.solvers.rules.sources.unset_attributes import unset_attributes
from backdate.solvers.rules.sources.version_texts import by_version_numbers
from backdate.solvers.rules.sources.warned_indices import warned_indices
from backdate.solvers.rules.sources.wrapped_arguments import wrapped_arguments

SEVERAL = (
    shown_as_before,
    made_whole,
    made_writable,
    widened_integers,
    copied_frames,
    patched_names,
    by_position,
    warned_indices,
    returned_checks,
    declared_fields,
    same_literals,
    wrapped_arguments,
    passed_instances,
    module_setups_of,
    overridden_methods,
    errors_of_other_classes,
    old_finders,
    index_nodes,
    scoped_flags,
    hdf5_texts,
    chosen_methods,
    names_in_texts,
    backref_cascades,
    constrained_types,
    coerced_numbers,
    joined_lists,
    handed_on,
    json_values,
    became_modules,
    random_states,
    starred_builtins,
    listed_arguments,
    raised_instead,
    grouped_errors,
    renamed_fields,
    autocommit_blocks,
    called_back,
    unset_attributes,
    exact_types,
    dropped_items,
    class_methods,
    command_names,
)
"""What asks for proposals of its own, each for several places."""
WHOLE = (
    version_of,
    old_tests,
    old_runners,
    marked_values,
    default_factories,
    class_bodies,
    mapped_rows,
    attribute_targets,
    bound_metadata,
    commits,
    json_settings,
    meta_indexes,
    app_contexts,
    whole_app_name,
    ended_generators,
    by_version_numbers,
    kept_arguments,
    field_metadata,
    built_in_items,
    kept_contexts,
    timed_serializers,
    compared_arrays,
    missing_labels,
    late_sessions,
    returned_commands,
    relative_redirects,
    dropped_alphabets,
    log_records,
    django_templates,
)
"""What knows a failure as a whole: where one has an answer, nothing else is asked."""
