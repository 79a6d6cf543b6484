"""Since when, and because of what: bisection over time, with the culprit confirmed both ways."""
