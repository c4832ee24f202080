"""Tables from files, a family guessed for each column, and a model of them: `deciban table`.

    table = read_table("patients.csv")
    model = TableModel.fit(table, label="diagnosis")
    print(model.figures)                              # cross-validated, beside the majority
    model.predict(read_table("new.csv"))

docs/tables.md tells the rules by which families are guessed, and what happens to gaps and strange values.
"""

from deciban.tables.guess import Guess, guess_families
from deciban.tables.table import Table
from deciban.tables.table_figures import TableFigures
from deciban.tables.table_model import Prediction, TableModel
from deciban.tables.table_reading import read_table
from deciban.tables.table_writing import write_table

__all__ = [
    "Guess",
    "Prediction",
    "Table",
    "TableFigures",
    "TableModel",
    "guess_families",
    "read_table",
    "write_table",
]
