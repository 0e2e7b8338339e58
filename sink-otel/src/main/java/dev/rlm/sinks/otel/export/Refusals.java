package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log, at once and in one line, what one sink's back end takes none of. Where it has refused metrics it is asked
 * about logs, and the other way round, so that a person reads one line and not two. On the threads that send.
 */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger("dev.rlm.sinks.otel");
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    private final List<SignalExport<?>> all = new ArrayList<>(); // guarded by this
    private volatile @Nullable Long endBy;

    /** Adds what may be refused; before anything is sent. */
    synchronized <E extends SignalExport<?>> E add(E export) {
        all.add(export);
        return export;
    }

    /** Sends no more questions from then on, in terms of {@link System#nanoTime}. */
    void endBy(long by) {
        endBy = by;
    }

    /** The back end has refused that kind of data altogether; what it refuses as well goes by the same line. */
    synchronized void refused(SignalExport<?> export, Failure failure) {
        if (!export.isRefused()) { // else it has been said with the other
            export.refuse(failure);
            long by = by();
            say(all.stream()
                    .filter(each -> each == export || isRefusedToo(each, export, by))
                    .toList());
        }
    }

    private long by() {
        long now = System.nanoTime();
        Long end = endBy;
        return now + (end == null ? PATIENCE : Math.min(PATIENCE, Math.max(0, end - now)));
    }

    private static boolean isRefusedToo(SignalExport<?> other, SignalExport<?> first, long by) {
        if (other.isRefused() || !other.status().target().equals(first.status().target())) {
            return false;
        }
        Failure failure = other.ask(by);
        if (failure != null) {
            other.refuse(failure);
        }
        return failure != null;
    }

    private static void say(List<SignalExport<?>> refused) {
        LOG.warn(
                "{} takes {}, as is usual for a back end of traces such as Jaeger: none are sent ({})",
                refused.get(0).status().target(),
                refused.stream().map(each -> "no " + each.data()).collect(Collectors.joining(" and ")),
                refused.stream().map(each -> each.offSwitch() + "=false").collect(Collectors.joining(" and "))
                        + (refused.size() == 1 ? " says so beforehand" : " say so beforehand"));
    }
}
