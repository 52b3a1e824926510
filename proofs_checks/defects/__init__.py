"""What is wrong with the paper, by root cause: a defect gathers the claims that fail for one reason.

A label of the paper in a text stands for its number.  What is proposed is LaTeX, in the notation of the
paper, ready for an erratum.
"""
