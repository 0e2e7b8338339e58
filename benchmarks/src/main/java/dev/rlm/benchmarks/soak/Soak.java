package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.TemporaryFolder;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that runs everything at once for a long time, and says whether anything piles up or gets lost. */
@Command(
        name = "soak",
        description = "Runs everything at once for a long time; exit code 1 where something piles up or gets lost.",
        mixinStandardHelpOptions = true)
public final class Soak implements Callable<Integer> {
    private static final Duration LAST_WORDS = Duration.ofSeconds(60);

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--minutes", paramLabel = "N", description = "How long (${DEFAULT-VALUE}).")
    private double minutes = 60;

    @Option(names = "--round", paramLabel = "SECONDS", description = "The time between two samples (${DEFAULT-VALUE}).")
    private double round = 10;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch said = new CountDownLatch(1);

    private Soak() {}

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        long end = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "soak-stop"));
        try (TemporaryFolder folder = TemporaryFolder.create("soak");
                Rounds rounds = new Rounds(folder.path(), spec.commandLine().getErr())) {
            out.println(Machine.line());
            while (stop.getCount() > 0 && System.nanoTime() - end < 0) {
                rounds.next((long) (round * TimeUnit.SECONDS.toNanos(1)), stop);
            }
            SoakVerdict verdict = rounds.verdict();
            out.println(verdict.text());
            out.flush();
            return verdict.isGood() ? 0 : 1;
        } finally {
            said.countDown();
        }
    }

    /** At Ctrl-C: the verdict so far is still said. */
    private void stopAndWait() {
        stop.countDown();
        try {
            var unused = said.await(LAST_WORDS.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
