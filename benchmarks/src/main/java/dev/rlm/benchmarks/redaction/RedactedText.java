package dev.rlm.benchmarks.redaction;

import com.sun.management.ThreadMXBean;
import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.figure.CallerBytes;
import dev.rlm.benchmarks.figure.JmhFork;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The processor time that the texts of one {@link Kind} cost, all of them in turn, for each 1,024 characters: the median of passes
 * behind a warm-up. Of a thread alone it is told even on a machine that does much else.
 */
final class RedactedText {
    /** Kilobytes of all texts. */
    static final int KILOBYTES = 950;

    private static final int PASSES = 9;
    private static final long WARM_UP = TimeUnit.SECONDS.toNanos(2);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(), List.of()));
    private final List<String> texts;
    private long length; // so that nothing is left out

    private RedactedText(Kind kind) {
        texts = kind.texts(1);
    }

    /** Of a kind's name. */
    public static void main(String[] args) {
        new RedactedText(Kind.valueOf(args[0])).measure().print();
    }

    private Sample measure() {
        long warm = THREADS.getCurrentThreadCpuTime() + WARM_UP;
        for (int pass = 0; pass < 2 || THREADS.getCurrentThreadCpuTime() < warm; pass++) {
            pass();
        }
        double[] nanos = new double[PASSES];
        long allocated = CallerBytes.allocated();
        for (int i = 0; i < PASSES; i++) {
            long before = THREADS.getCurrentThreadCpuTime();
            pass();
            nanos[i] = (double) (THREADS.getCurrentThreadCpuTime() - before) / KILOBYTES;
        }
        double bytes = (double) (CallerBytes.allocated() - allocated) / PASSES / KILOBYTES;
        if (length == 0) {
            throw new IllegalStateException("nothing was redacted");
        }
        return new Sample(Map.of(JmhFork.NANOS, Median.of(nanos).value(), CallerBytes.BYTES, bytes));
    }

    private void pass() {
        for (String text : texts) {
            length += redaction.text(text).length();
        }
    }
}
