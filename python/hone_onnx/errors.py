"""Errors of an import."""


class UserError(Exception):
    """An error that the user can fix; its text is one line."""


def first_line(error):
    """Returns the first line with text of an exception."""
    for line in str(error).splitlines():
        if line.strip():
            return line.strip()
    return type(error).__name__
