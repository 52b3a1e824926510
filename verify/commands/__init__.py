"""The subcommands of ``ctucbvi``, one module each.

A command module offers ``add(subparsers)``, which describes its arguments, and a ``run``
that does the work and returns the exit status.  At module level it imports nothing heavy
and nothing of the other packages, so that ``--help`` answers at once.
"""
