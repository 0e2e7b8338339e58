package dev.rlm.sinks.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creation of a component by foreign code, on a thread of its own with a time limit: it may take for ever.
 *
 * @param <T> what is made
 */
final class BoundedCreation<T> {
    private static final Duration BOUND = Duration.ofSeconds(10);

    private final CompletableFuture<Outcome<T>> over = new CompletableFuture<>();

    private BoundedCreation() {}

    /**
     * Returns what the factory makes, which may be {@code null}, and throws what it throws.
     *
     * @param name of the thread
     * @param late begins the message of the exception
     * @param unwanted takes what the factory makes too late
     * @throws IllegalStateException if the factory takes more than ten seconds, or the caller is interrupted
     */
    static <T> @Nullable T make(String name, Supplier<? extends T> factory, String late, Consumer<T> unwanted)
            throws Throwable {
        BoundedCreation<T> creation = new BoundedCreation<>();
        Thread thread = new Thread(() -> creation.run(factory), name);
        thread.setDaemon(true);
        thread.start();
        return creation.await(late, unwanted);
    }

    @SuppressWarnings("CatchThrowable") // who waits is to throw it
    private void run(Supplier<? extends T> factory) {
        try {
            over.complete(new Outcome<>(factory.get(), null));
        } catch (Throwable e) {
            over.complete(new Outcome<>(null, e));
        }
    }

    private @Nullable T await(String late, Consumer<T> unwanted) throws Throwable {
        try {
            Outcome<T> outcome = over.get(BOUND.toNanos(), TimeUnit.NANOSECONDS);
            if (outcome.error() != null) {
                throw outcome.error();
            }
            return outcome.made();
        } catch (TimeoutException | InterruptedException e) {
            var unused = over.thenAccept(outcome -> take(outcome.made(), unwanted));
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException(late + " in " + BOUND.toSeconds() + " s");
        }
    }

    /** It comes after all. */
    private static <T> void take(@Nullable T made, Consumer<T> unwanted) {
        if (made != null) {
            unwanted.accept(made);
        }
    }

    /** Either of the two; an exception that cannot even be asked what it is must not be wrapped. */
    private record Outcome<T>(@Nullable T made, @Nullable Throwable error) {}
}
