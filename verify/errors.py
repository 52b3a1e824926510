"""The base of all errors that are meant to be read by a user."""


class UserError(ValueError):
    """What a user can get wrong: the text is one line that says what, where, and what instead.

    A command line prints that line and exits with status 2.
    """
