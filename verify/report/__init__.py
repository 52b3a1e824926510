"""A run as one page: HTML that opens from disk, asks nobody for anything, and can be sent to an author.

The page is data and a program that shows it.  The data (:mod:`verify.report.facts`) are made here and are all
that is particular to the claims; the program (``assets/``) is the same for everybody.  What belongs to one
paper only, a picture of its bounds say, is a :class:`Panel`: data and a script of its own, handed over by
whoever brings the claims (:class:`Supplement`).
"""

from verify.report.page import page
from verify.report.supplement import Panel, Supplement, supplement_of
from verify.running.graph import Graph

__all__ = ["Graph", "Panel", "Supplement", "page", "supplement_of"]
