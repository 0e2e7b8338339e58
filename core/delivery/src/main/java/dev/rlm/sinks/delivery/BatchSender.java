package dev.rlm.sinks.delivery;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of a {@link Batcher}, and hears what came of its items. Called on threads of the kit's, by as many at
 * once as there may be requests in flight.
 */
public interface BatchSender<T> {
    /**
     * Sends the items in one request. May wait for the answer, or return at once; what it throws is a failure too.
     *
     * @return why they were not taken; empty where they were
     */
    CompletionStage<Optional<Failure>> send(List<T> batch);

    /**
     * Hears once what came of items.
     *
     * @param failure why they were not taken, or not all; {@code null} where they were
     * @return whether nothing was lost: what a flush returns
     */
    boolean done(List<T> items, @Nullable Failure failure);

    /** Hears of a failure that is not the last word: another attempt follows. */
    default void retrying(Failure failure) {}

    /** Hears that a flush, or an item that finds no room, can wait no longer, and nothing has answered so far. */
    default void pending() {}

    /** Returns what the items of a batch have in common, such as where they go: all have the same unless told. */
    default Object group(T item) {
        return this;
    }

    /** Returns about what the item takes in a request, in the unit of {@link BatchLimits#maxSize}. */
    default long size(T item) {
        return 1;
    }
}
