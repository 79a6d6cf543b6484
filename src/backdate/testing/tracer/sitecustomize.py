"""Starts the tracer in every interpreter that a test run starts."""

import backdate_trace

backdate_trace.start()
