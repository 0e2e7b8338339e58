package dev.rlm.sinks.otel.files;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.testkit.Events;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Runs to the file that variables say; says how many events arrived. Run by {@link OtlpFileTest}. */
final class OtlpFileProgram {
    private OtlpFileProgram() {}

    @SuppressWarnings("SystemOut") // what it has to say
    public static void main(String[] args) {
        long start = System.nanoTime();
        Sinks sinks = Sinks.fromEnvironment();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            Events.full(args[0] + "-" + i).stream().limit(10).forEach(sinks::publish);
            var unused = sinks.flush(Duration.ofMillis(i % 10 == 0 ? 500 : 0));
        }
        sinks.close(Duration.ofSeconds(3));
        Ledger ledger = sinks.statuses().stream()
                .filter(status -> status.name().equals("otlp-file"))
                .findFirst()
                .orElseThrow()
                .ledger();
        System.out.println(ledger.delivered() + " " + ledger.offered() + " " + ledger.lost() + " "
                + ledger.dropped().keySet() + " " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    }
}
