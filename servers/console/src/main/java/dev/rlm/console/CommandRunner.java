package dev.rlm.console;

import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.SinkConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that read a journal, run in this process with {@code --json}. Their answers are kept until the journal changes. Safe for use by
 * several threads.
 */
final class CommandRunner {
    private static final Set<String> NAMES =
            Set.of("list", "show", "diff", "report", "check", "search", "scan", "jobs");

    /** Verbs whose exit code 1 is an answer, and no failure. */
    private static final Set<String> VERDICTS = Set.of("check");

    /** Options that choose another file or form, wait, or write. */
    private static final Set<String> REFUSED = Set.of(
            "journal", "index", "json", "csv", "markdown", "follow", "keep", "fail-on", "help", "version", "verbose");

    private static final int USAGE = 2;
    private static final int MOST_BYTES = 32 << 20; // of an answer
    private static final int MOST_KEPT = 64 << 20;
    private static final int AT_A_TIME = 4;
    private static final int WAIT_SECONDS = 60;

    private final SinkConfig config;
    private final List<Path> journals;
    private final List<String> more;
    private final LongSupplier cursor;
    private final KeptJournals open;
    private final Semaphore turns = new Semaphore(AT_A_TIME, true);
    private final LinkedHashMap<List<String>, byte[]> kept =
            new LinkedHashMap<>(16, 0.75f, true); // guarded by itself, as the next
    private long keptOf = -1;
    private long keptBytes;

    /**
     * Those about these journals.
     *
     * @param more arguments that each of them gets
     * @param cursor is another whenever a journal has changed
     */
    CommandRunner(SinkConfig config, List<Path> journals, List<String> more, LongSupplier cursor) {
        this.config = config;
        this.journals = List.copyOf(journals);
        this.more = List.copyOf(more);
        this.cursor = cursor;
        this.open = new KeptJournals(cursor);
    }

    /**
     * Returns what a verb prints.
     *
     * @param path its name and its arguments
     * @param query its options without dashes, with their values: none, or {@code true} and {@code false} for those that have none; and
     *     {@code journal}, the number of the journal
     * @throws RefusedException if there is no such verb here, or it refuses what it was asked
     */
    byte[] answer(List<String> path, Map<String, List<String>> query) throws RefusedException, InterruptedException {
        List<String> arguments = arguments(path, query);
        long now = cursor.getAsLong();
        byte[] known = known(now, arguments);
        if (known != null) {
            return known;
        }
        if (!turns.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new RefusedException(503, "too much is being read: try again");
        }
        try {
            byte[] answer = run(arguments);
            keep(now, arguments, answer);
            return answer;
        } finally {
            turns.release();
        }
    }

    private List<String> arguments(List<String> path, Map<String, List<String>> query) throws RefusedException {
        String name = path.isEmpty() ? "" : path.get(0);
        if (!NAMES.contains(name)) {
            throw new RefusedException(404, "there is no '" + name + "' here: expected one of " + sorted());
        }
        List<String> arguments = new ArrayList<>(List.of(name, "--json", "--journal=" + journal(query)));
        arguments.addAll(more);
        for (Map.Entry<String, List<String>> option : query.entrySet()) {
            if (!option.getKey().equals("journal")) {
                for (String value : option.getValue()) {
                    arguments.add(option(name, option.getKey(), value));
                }
            }
        }
        arguments.add("--"); // what follows is no option
        arguments.addAll(path.subList(1, path.size()));
        return arguments;
    }

    private static String sorted() {
        return String.join(", ", NAMES.stream().sorted().toList());
    }

    /** Returns the journal that is asked for. */
    Path journal(Map<String, List<String>> query) throws RefusedException {
        String number = query.getOrDefault("journal", List.of("0")).get(0);
        try {
            return journals.get(Integer.parseInt(number));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new RefusedException(
                    400, "journal=" + number + " is not valid: expected a number from 0 to " + (journals.size() - 1));
        }
    }

    private static String option(String verb, String name, String value) throws RefusedException {
        boolean otherJournal = name.equals("against") && (verb.equals("diff") || !value.matches("(?s)(model|tag)=.*"));
        if (REFUSED.contains(name) || otherJournal || !name.matches("[a-z][a-z0-9-]*")) {
            throw new RefusedException(400, "the option " + name + " is not for pages");
        }
        return switch (value) {
            case "", "true" -> "--" + name;
            case "false" -> "--no-" + name;
            default -> "--" + name + "=" + value;
        };
    }

    private byte[] run(List<String> arguments) throws RefusedException {
        Bounded out = new Bounded();
        StringWriter err = new StringWriter();
        int code;
        try (PrintWriter results = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8))) {
            code = Rlm.execute(
                    new Console(results, new PrintWriter(err), false, "rlm"),
                    config,
                    open,
                    Rlm.Log.AS_IT_IS,
                    arguments.toArray(String[]::new));
        }
        if (out.full) {
            throw new RefusedException(413, "the answer is longer than " + (MOST_BYTES >> 20) + " MiB: ask for less");
        } else if (code != 0 && !(code == 1 && VERDICTS.contains(arguments.get(0)) && out.bytes.size() > 0)) {
            String said = err.toString().lines().reduce("", (before, line) -> line);
            throw new RefusedException(code == USAGE ? 400 : 500, said.replaceFirst("^rlm: ", ""));
        }
        return out.toByteArray();
    }

    private byte @Nullable [] known(long now, List<String> arguments) {
        synchronized (kept) {
            if (now != keptOf) {
                kept.clear();
                keptBytes = 0;
                keptOf = now;
            }
            return kept.get(arguments);
        }
    }

    private void keep(long then, List<String> arguments, byte[] answer) {
        synchronized (kept) {
            if (then == keptOf
                    && keptBytes + answer.length <= MOST_KEPT
                    && kept.putIfAbsent(arguments, answer) == null) {
                keptBytes += answer.length;
            }
        }
    }

    /** Bytes of an answer, as far as it may go. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean full;

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] more, int from, int length) throws IOException {
            full |= bytes.size() + length > MOST_BYTES;
            if (full) {
                throw new IOException("too long");
            }
            bytes.write(more, from, length);
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }
}
