package dev.rlm.sinks.mlflow;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;

/** A span without what MLflow does not bear. */
final class MlflowSpan extends DelegatingSpanData {
    /** With it, a server that cannot reach the internet holds the request for seconds, while it looks for prices. */
    private static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");

    private static final AttributeKey<String> OWN_PROVIDER = AttributeKey.stringKey("rlm.provider");

    /** Its session. */
    private static final AttributeKey<String> CONVERSATION = AttributeKey.stringKey("gen_ai.conversation.id");

    private static final int MAX_SESSION = 250; // characters; one with more loses the whole batch

    private final Attributes attributes;

    private MlflowSpan(SpanData span, Attributes attributes) {
        super(span);
        this.attributes = attributes;
    }

    /** The span itself, where nothing is wrong with it. */
    static SpanData of(SpanData span) {
        String provider = span.getAttributes().get(PROVIDER);
        String conversation = span.getAttributes().get(CONVERSATION);
        if (provider == null && (conversation == null || conversation.length() <= MAX_SESSION)) {
            return span;
        }
        AttributesBuilder changed = span.getAttributes().toBuilder();
        if (provider != null) {
            changed.remove(PROVIDER);
            changed.put(OWN_PROVIDER, provider);
        }
        if (conversation != null && conversation.length() > MAX_SESSION) {
            changed.put(CONVERSATION, cut(conversation));
        }
        return new MlflowSpan(span, changed.build());
    }

    /** Sessions that differ in what is cut stay apart. */
    private static String cut(String session) {
        return session.substring(0, MAX_SESSION - 34) + "…" + RewardAssessment.hash(session);
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }
}
