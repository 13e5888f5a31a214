# The Python package: a job and a function, their results and errors. tests/python/run runs all of its tests.
. "$(dirname "$0")/lib.sh"
cd "$SOURCE/tests/python"
KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1 expect 0 python3 -m unittest -q \
  test_jobs.Jobs.test_an_error_says_what_why_and_fix test_jobs.Functions.test_results_output_and_exceptions
