package dev.rlm.sinks;

import dev.rlm.sinks.lane.Lanes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The making of a sink, on a thread of its own: a provider may take for ever, and the program starts without it then. */
final class Making {
    private static final Duration BOUND = Duration.ofSeconds(10);

    private final String name;
    private final CompletableFuture<Outcome> over = new CompletableFuture<>();

    private Making(String name) {
        this.name = name;
    }

    /** The sink, or {@code null} if the provider gives that; throws what the provider throws, or that it takes too long. */
    static @Nullable Sink make(String name, Supplier<Sink> factory, UnaryOperator<String> redaction) throws Throwable {
        Making making = new Making(name);
        Thread thread = new Thread(() -> making.run(factory), "rlm-sink-making-" + name);
        thread.setDaemon(true);
        thread.start();
        return making.await(redaction);
    }

    @SuppressWarnings("CatchThrowable") // who waits is to throw it
    private void run(Supplier<Sink> factory) {
        try {
            over.complete(new Outcome(factory.get(), null));
        } catch (Throwable e) {
            over.complete(new Outcome(null, e));
        }
    }

    private @Nullable Sink await(UnaryOperator<String> redaction) throws Throwable {
        try {
            Outcome outcome = over.get(BOUND.toNanos(), TimeUnit.NANOSECONDS);
            if (outcome.error() != null) {
                throw outcome.error();
            }
            return outcome.sink();
        } catch (TimeoutException | InterruptedException e) {
            var unused = over.thenAccept(outcome -> closeUnwanted(outcome.sink(), redaction));
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("its provider gave no sink in " + BOUND.toSeconds() + " s");
        }
    }

    /** It comes after all. */
    private void closeUnwanted(@Nullable Sink sink, UnaryOperator<String> redaction) {
        if (sink != null) {
            Lanes.closeUnused(name, sink, redaction);
        }
    }

    /** Either of the two; an exception that cannot even be asked what it is must not be wrapped. */
    private record Outcome(@Nullable Sink sink, @Nullable Throwable error) {}
}
