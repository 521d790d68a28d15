"""The coast of the maps: cut to its box, and the table is the one of the package."""

import json

from tvgp.study.data import raw_files
from tvgp.study.figures.base import coast


def test_cut_to_the_box_in_hundredths_of_a_degree(tmp_path):
    arcs = [[[0, 50], [5, 0], [1, 0], [6, 0], [30, 0], [-30, 0]], [[-30, 50], [1, 1]]]
    topology = {"transform": {"scale": [1.0, 1.0], "translate": [0.004, 0.0]}, "arcs": arcs}
    path = tmp_path / "countries-50m.json"
    path.write_text(json.dumps(topology))
    lines = coast.cut(path).splitlines()
    assert lines == ["line,longitude,latitude", "0,0,50", "0,5,50", "0,6,50", "0,12,50", "1,12,50"]


def test_table_is_that_of_natural_earth():
    assert raw_files.digest(coast.TABLE) == "d9fc784ed8d35e6b70fafb12363bfd045ee5790db4e7063e647fccd4ecd3c947"
