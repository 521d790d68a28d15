# Configuration: default.yaml, the papers' definitions and the overlays, each read once and strictly.
# No `configfile:`, whose reader takes 010 for 8 and has no clear word for a broken file. It also
# reads what is given by --configfile, before this file; `--config overlay=FILE repair=1` is read here alone.

import sys

from tvgp.study.config import loading

values = dict(workflow.config_settings.config)
overlays = values.pop("overlay", [])  # a path, or a list of paths
overlays = [str(each) for each in (overlays if isinstance(overlays, list) else [overlays])]
repair = bool(values.pop("repair", False))
try:
    definitions = loading.read(f"{workflow.basedir}/config")
    config = loading.overlaid(definitions, [*overlays, *workflow.overwrite_configfiles], values)
except (ValueError, OSError) as error:
    sys.exit(f"ERROR: {error}")

if workflow.is_main_process:
    try:
        selections = [config["selection"], *loading.selections(f"{workflow.basedir}/config", definitions)]
        unused = loading.checked(
            config, definitions, selections, f"{workflow.basedir}/workflow/schemas/config.schema.yaml"
        )
    except (ValueError, OSError) as error:
        sys.exit(f"ERROR: {error}")
    if unused:
        print(unused, file=sys.stderr)
