"""Coverage-guided fuzzing of the compiled part, and the instrumented build that it and some tests run on."""
