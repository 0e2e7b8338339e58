package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that records until it is killed, and says what has been acknowledged. */
public final class KilledWriter {
    private static final String CEASELESS = "ceaseless";

    private KilledWriter() {}

    /** One that records a run without its end, says so with a byte, and waits. */
    public static Process start(Path directory, String runId) throws IOException {
        return new ProcessBuilder(command(directory, runId))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /**
     * One that records run after run, {@code <prefix>-0} and so on, the even ones with an end, and after each writes its
     * number on a line once all of it is acknowledged.
     *
     * @param wrapper what to start the process with; may be empty
     * @param runs after how many to end
     */
    static Process startCeaseless(List<String> wrapper, Path directory, String prefix, int runs) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(command(directory, CEASELESS, prefix, String.valueOf(runs)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static List<String> command(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1", // it does not live long
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                directory.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The events of a run that such a process records: of odd ones all but the end. */
    static List<RunEvent> events(String prefix, int number) {
        List<RunEvent> run = SampleEvents.rich(prefix + "-" + number, "text ".repeat(number % 7 * 20));
        return number % 2 == 0 ? run : SampleEvents.withoutEnd(run).toList();
    }

    @SuppressWarnings("SystemOut") // the other process waits for it
    public static void main(String[] args) throws IOException {
        JsonlSink sink = JsonlSink.builder().directory(Path.of(args[0])).build();
        if (args[1].equals(CEASELESS)) {
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                record(sink, events(args[2], i));
                if (sink.acknowledged().dropped().isEmpty()) {
                    System.out.println(i);
                    System.out.flush();
                }
            }
            sink.close();
            return;
        }
        record(sink, SampleEvents.withoutEnd(SampleEvents.rich(args[1], "text")).toList());
        System.out.write('!');
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the other side is gone
        }
    }

    private static void record(JsonlSink sink, List<RunEvent> events) {
        events.forEach(sink::onEvent);
        sink.onBatchEnd();
    }
}
