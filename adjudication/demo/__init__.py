"""An invented project, small and telling: enough to try every role in ten minutes."""
