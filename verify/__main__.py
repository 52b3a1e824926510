"""``python -m verify`` is the command ``ctucbvi``."""

from verify.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
