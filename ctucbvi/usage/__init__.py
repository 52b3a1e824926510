"""What a person may write after ``ctucbvi``: the arguments of each command, and nothing that computes."""
