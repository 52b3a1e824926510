"""``python -m ctucbvi`` is the command ``ctucbvi``."""

from ctucbvi.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
