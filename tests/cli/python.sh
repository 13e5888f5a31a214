# The Python package: a job and a function, their results and errors. tests/python/run runs all of its tests.
. "$(dirname "$0")/lib.sh"
cd "$SOURCE/tests/python"
KML_BINARY=$KML PYTHONPATH=$SOURCE/release/python PYTHONDONTWRITEBYTECODE=1 expect 0 python3 -m unittest -q \
  test_jobs.Jobs.test_an_error_says_what_why_and_fix test_jobs.Jobs.test_ui_is_a_page_in_a_frame_of_its_own \
  test_jobs.Jobs.test_submit_returns_a_job_that_exists test_jobs.Jobs.test_a_schedule_is_no_job \
  test_jobs.Jobs.test_the_target_is_shown_once_in_a_process \
  test_jobs.Functions.test_results_output_and_exceptions \
  test_jobs.Functions.test_ctrl_c_leaves_futures_pending test_jobs.Functions.test_futures_outlive_the_embedded_server \
  test_jobs.Functions.test_a_reader_that_ctrl_c_ends_as_it_starts_is_started_again \
  test_jobs.Functions.test_attach_gives_the_future_again_in_another_process \
  test_jobs.Functions.test_each_task_of_an_array_ends_by_itself_with_its_own_cause \
  test_jobs.Functions.test_a_result_is_not_in_the_log_that_a_person_reads \
  test_jobs.Functions.test_a_function_may_close_descriptors_fork_and_exit test_jobs.Sweeps.test_values_are_what_they_are \
  test_jobs.Functions.test_a_traceback_can_be_read_in_the_log_and_in_why test_jobs.Results
