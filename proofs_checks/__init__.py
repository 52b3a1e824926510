"""The claims of the paper, each with the checks that decide it."""
