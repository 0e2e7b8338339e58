package dev.rlm.sinks.otel.spans;

import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A span of the sink's own, from its start to the exporter, within the limits of the SDK. It is described on the lane; once it
 * is to be sent it is immutable, and only its bytes of OTLP are left of it, which weigh less while they wait, unless an exporter
 * of another kind takes it.
 */
public final class OwnSpan implements Span, SpanData {
    private static final byte[] NOTHING = {};

    private final Resource resource;
    private final InstrumentationScopeInfo scope;
    private final SpanLimits limits;
    private final SpanContext context;
    private final SpanContext parent;
    private final SpanKind kind;
    private final long startNanos;
    private final List<SpanContext> links;
    private SpanAttributes attributes;
    private List<EventData> events = new ArrayList<>(2);
    private String name;
    private int totalEvents;
    private StatusData status = StatusData.unset();
    private long endNanos;
    private boolean ended;
    private byte[] encoded = NOTHING;
    private long bytes;
    private int standsFor; // events
    private List<SpanScore> carried = List.of(); // as nearly always

    /** @param links other spans that it names; none as nearly always */
    public OwnSpan(
            Resource resource,
            InstrumentationScopeInfo scope,
            SpanLimits limits,
            Part part,
            SpanContext context,
            SpanContext parent,
            List<SpanContext> links) {
        this.resource = resource;
        this.scope = scope;
        this.limits = limits;
        this.context = context;
        this.parent = parent;
        this.links = links;
        kind = part.spanKind();
        Instant start = part.start();
        startNanos = TimeUnit.SECONDS.toNanos(start.getEpochSecond()) + start.getNano();
        attributes = SpanAttributes.within(limits);
        name = part.name();
    }

    // ---- while it goes on

    @Override
    public <T> OwnSpan setAttribute(AttributeKey<T> key, @Nullable T value) {
        if (!ended && value != null) {
            attributes.put(key, value);
        }
        return this;
    }

    @Override
    public OwnSpan addEvent(String event, Attributes described, long time, TimeUnit unit) {
        if (!ended && totalEvents++ < limits.getMaxNumberOfEvents()) {
            events.add(EventData.create(
                    unit.toNanos(time), event, SpanAttributes.ofEvent(described, limits), described.size()));
        }
        return this;
    }

    @Override
    public Span addEvent(String event, Attributes described) {
        return addEvent(event, described, Instant.now());
    }

    @Override
    public Span recordException(Throwable exception, Attributes described) {
        return addEvent(
                Names.EVENT_EXCEPTION,
                described.toBuilder()
                        .put(Names.EXCEPTION_TYPE, exception.getClass().getName())
                        .build());
    }

    /** That all is well is the last word; only an error has a description. */
    @Override
    public OwnSpan setStatus(StatusCode code, String description) {
        if (!ended && code != StatusCode.UNSET && status.getStatusCode() != StatusCode.OK) {
            status = StatusData.create(code, code == StatusCode.ERROR ? description : "");
        }
        return this;
    }

    @Override
    public OwnSpan updateName(String value) {
        name = ended ? name : value;
        return this;
    }

    @Override
    public boolean isRecording() {
        return !ended;
    }

    @Override
    public void end() {
        end(Instant.now());
    }

    @Override
    public void end(long time, TimeUnit unit) {
        endNanos = ended ? endNanos : unit.toNanos(time);
        ended = true;
    }

    /** Notes a reward that is sent elsewhere once the span has arrived. */
    public void carry(SpanScore score) {
        carried = carried.isEmpty() ? new ArrayList<>(1) : carried;
        carried.add(score);
    }

    // ---- on its way

    /** Notes for how many events it stands, and how many bytes it takes in a request of OTLP. */
    public void sized(int forEvents, long size) {
        standsFor = forEvents;
        bytes = size;
    }

    /** Leaves its bytes of OTLP, and nothing else of it. */
    public void encoded(int forEvents, byte[] form) {
        sized(forEvents, form.length);
        encoded = form;
        attributes = SpanAttributes.NONE;
        events = List.of();
    }

    /** Its bytes of OTLP; none where an exporter takes it as it is. */
    public byte[] encoded() {
        return encoded;
    }

    /** Returns how many bytes it takes in a request of OTLP. */
    public long bytes() {
        return bytes;
    }

    /** Returns how many events it stands for. */
    public int standsFor() {
        return standsFor;
    }

    /** The rewards that are sent elsewhere once it has arrived. */
    public List<SpanScore> carried() {
        return Collections.unmodifiableList(carried);
    }

    // ---- for exporters

    @Override
    public SpanContext getSpanContext() {
        return context;
    }

    @Override
    public SpanContext getParentSpanContext() {
        return parent;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public SpanKind getKind() {
        return kind;
    }

    @Override
    public long getStartEpochNanos() {
        return startNanos;
    }

    @Override
    public long getEndEpochNanos() {
        return endNanos;
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public StatusData getStatus() {
        return status;
    }

    @Override
    public SpanAttributes getAttributes() {
        return attributes;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.total();
    }

    @Override
    public List<EventData> getEvents() {
        return Collections.unmodifiableList(events);
    }

    @Override
    public int getTotalRecordedEvents() {
        return totalEvents;
    }

    @Override
    public List<LinkData> getLinks() {
        return links.isEmpty()
                ? List.of()
                : links.stream()
                        .limit(limits.getMaxNumberOfLinks())
                        .map(LinkData::create)
                        .toList();
    }

    @Override
    public int getTotalRecordedLinks() {
        return links.size();
    }

    @Override
    public Resource getResource() {
        return resource;
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return scope;
    }

    @Override
    @Deprecated
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.create(
                scope.getName(), scope.getVersion(), scope.getSchemaUrl());
    }
}
