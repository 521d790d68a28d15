"""What figures share: style and curves."""
