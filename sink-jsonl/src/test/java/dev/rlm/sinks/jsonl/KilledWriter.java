package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Path;

/** A process that records a run without its end, and waits to be killed. */
final class KilledWriter {
    private KilledWriter() {}

    static Process start(Path directory, String runId) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledWriter.class.getName(),
                        directory.toString(),
                        runId)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Says with a byte that everything is written, and reads until the other side is gone. */
    @SuppressWarnings("SystemOut") // the other process waits for it
    public static void main(String[] args) throws IOException {
        JsonlSink sink = JsonlSink.builder().directory(Path.of(args[0])).build();
        for (RunEvent event :
                SampleEvents.withoutEnd(SampleEvents.rich(args[1], "text")).toList()) {
            sink.onEvent(event);
        }
        sink.onBatchEnd();
        System.out.write('!');
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the other side is gone
        }
    }
}
