package dev.rlm.sinks.otel.backend;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The memory of an {@link OtlpReceiver}: what came, what of it was accepted, and what to answer. Thread-safe. */
final class OtlpInbox {
    private static final int SMALL = 1_000;

    private final Map<OtlpSignal, Function<OtlpRequest, OtlpAnswer>> answers = new EnumMap<>(OtlpSignal.class);
    private final List<OtlpRequest> arrived = new ArrayList<>();
    private final List<OtlpRequest> accepted = new ArrayList<>();
    private boolean closed;

    /** Takes one export and returns its answer, after a wait as long as the answer is to hang. */
    synchronized OtlpAnswer take(OtlpRequest request) throws InterruptedException {
        arrived.add(request);
        OtlpAnswer answer = answer(request);
        while (answer == OtlpAnswer.HANG && !closed) {
            wait();
            answer = answer(request);
        }
        if (answer == OtlpAnswer.SMALL_ONLY && request.bytes() <= SMALL) {
            answer = OtlpAnswer.ACCEPT;
        }
        if (answer == OtlpAnswer.ACCEPT) {
            accepted.add(request);
        }
        return answer;
    }

    synchronized void answer(OtlpSignal signal, Function<OtlpRequest, OtlpAnswer> answer) {
        answers.put(signal, answer);
        notifyAll();
    }

    synchronized List<OtlpRequest> arrived() {
        return List.copyOf(arrived);
    }

    synchronized List<OtlpRequest> accepted() {
        return List.copyOf(accepted);
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    private OtlpAnswer answer(OtlpRequest request) {
        return answers.getOrDefault(request.signal(), any -> OtlpAnswer.ACCEPT).apply(request);
    }
}
