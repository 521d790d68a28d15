"""The command line of the study, one file per subcommand."""
