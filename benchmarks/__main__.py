"""Run all benchmarks, or those that are named.

`python -m benchmarks` runs everything, `python -m benchmarks naive_bayes` one of them.
"""

import importlib
import pkgutil
import sys

import benchmarks

SHARED = {"__main__", "measure", "corpora"}


def main() -> None:
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    known = sorted(set(names) - SHARED)
    chosen = sys.argv[1:] or known
    unknown = set(chosen) - set(known)
    if unknown:
        sys.exit(f"benchmarks: there is no {unknown.pop()!r}; there are {', '.join(known)}")
    for name in chosen:
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
