"""The commands of the engine, one module each, imported when one is given (arguments: ``verify.usage``)."""
