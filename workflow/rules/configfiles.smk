# Configuration files, read strictly before anything else: Snakemake would take 010 for 8.

import sys

from tvgp import configuration, strict_yaml

if workflow.is_main_process:
    try:
        for path in configuration.files(f"{workflow.basedir}/config"):
            strict_yaml.read(path)
        for path in workflow.overwrite_configfiles:
            strict_yaml.read(path)
    except (ValueError, OSError) as error:
        sys.exit(f"ERROR: {error}")
