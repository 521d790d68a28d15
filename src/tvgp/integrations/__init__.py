"""tvgp behind the interfaces of other projects, each in its own file with an extra of its name."""
