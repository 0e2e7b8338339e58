package dev.rlm.benchmarks.reading;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A program that times DuckDB on the same journal: it sums up the runs as a report does, or writes runs and steps as CSV. It
 * uses both cores and as much memory as it likes.
 */
final class ReadByDuckDb {
    private static final String COLUMNS =
            "type: 'VARCHAR', run_id: 'VARCHAR', environment: 'VARCHAR', model: 'VARCHAR',"
                    + " sample_id: 'VARCHAR', step: 'BIGINT', nanos: 'BIGINT', start_nanos: 'BIGINT', action_type: 'VARCHAR', code:"
                    + " 'VARCHAR', output: 'VARCHAR', success: 'BOOLEAN', reward: 'DOUBLE', cumulative_reward: 'DOUBLE', value:"
                    + " 'DOUBLE', outcome: 'VARCHAR', solved: 'BOOLEAN', steps: 'BIGINT', total_reward: 'DOUBLE', final_answer:"
                    + " 'VARCHAR'";

    private ReadByDuckDb() {}

    public static void main(String[] args) throws SQLException {
        int steps = Integer.parseInt(args[0]);
        String lines = "read_json('" + args[2] + "/*/events*.jsonl', format = 'newline_delimited', columns = {"
                + COLUMNS + "})";
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            long start = System.nanoTime();
            if (args[1].equals("report")) {
                report(statement, lines);
            } else {
                export(statement, lines, args[3]);
            }
            Reading.sample(steps, System.nanoTime() - start).print();
        }
    }

    private static void report(Statement statement, String lines) throws SQLException {
        statement.execute("SELECT environment, model, count(*) FILTER (type = 'run_ended'),"
                + " avg(total_reward) FILTER (type = 'run_ended'), count(*) FILTER (type = 'run_ended' AND solved),"
                + " sum(steps), quantile_cont(nanos, [0.5, 0.9]) FILTER (type = 'run_ended'),"
                + " avg(value) FILTER (type = 'reward_given'), count(DISTINCT run_id) FROM " + lines
                + " GROUP BY environment, model");
    }

    private static void export(Statement statement, String lines, String folder) throws SQLException {
        statement.execute(
                "COPY (SELECT run_id, environment, model, outcome, solved, steps, total_reward, nanos, final_answer"
                        + " FROM " + lines + " WHERE type = 'run_ended') TO '" + folder + "/runs.csv' (HEADER)");
        statement.execute("COPY (SELECT run_id, step, start_nanos, nanos, action_type, code, output, success, reward,"
                + " cumulative_reward FROM " + lines + " WHERE type = 'step_ended') TO '" + folder
                + "/steps.csv' (HEADER)");
    }
}
