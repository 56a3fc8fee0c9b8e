"""What can go wrong when starting an embedded server."""


class EmbeddedServerError(Exception):
    """An embedded server cannot run. The message says what to do, and is all that an operator needs
    to see.
    """
