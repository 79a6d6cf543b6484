"""An exporter: the names of the tasks, a line each."""


def write_names(dataset, tasks, output, sources):
    """Write the file ``output``."""
    output.write_text("".join(f"{task.instance_id}\n" for task in tasks))
