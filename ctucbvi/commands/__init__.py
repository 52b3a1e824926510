"""The commands of ``ctucbvi``, one module each, imported when a command is given (arguments: ``usage``)."""
