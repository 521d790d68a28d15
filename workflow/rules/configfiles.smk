# Configuration files, read strictly before anything else: Snakemake's own reader turns 010 into 8.

import sys

from tvgp.study.config import reading, strict_yaml

if workflow.is_main_process:
    try:
        definitions = reading.read(f"{workflow.basedir}/config")
        for path in workflow.overwrite_configfiles:
            definitions = reading.overlaid(definitions, strict_yaml.read(path), path)
    except (ValueError, OSError) as error:
        sys.exit(f"ERROR: {error}")
