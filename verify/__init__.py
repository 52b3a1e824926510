"""The checking engine, the reports and the command line."""
