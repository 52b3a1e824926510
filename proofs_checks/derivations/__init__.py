"""Derivations of the paper's claims in the kernel, and the setting that they are in.

``setting`` defines what is spoken of: the model, value iteration, and the run of a learner as one sequence of
decisions.  The other modules have one function for each claim, named after it, filed as the claims are.
"""
