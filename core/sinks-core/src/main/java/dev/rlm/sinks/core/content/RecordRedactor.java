package dev.rlm.sinks.core.content;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of what comes in by any door: out of every string of a record, whichever fields it has, and of the
 * records, lists and maps in it. What holds no secret stays the same object, so that nothing is copied as a rule; a
 * {@link dev.rlm.sinks.event.Content} sees to itself. Safe for use by several threads.
 *
 * <p>It goes by the records' own description of themselves: a field that is added tomorrow is not forgotten.
 */
public final class RecordRedactor {
    /** The tag of a run whose secrets were left as they are, and its value. */
    static final String TAG = "redaction";

    static final String OFF = "off";

    private static final Pattern MARK = Pattern.compile("\\[(REDACTED:[^]]*)]");

    /** A {@link FieldKind#TEXT} sees to itself, and {@link ArtifactReader} to a file. */
    private static final Set<FieldKind> WITHOUT_TEXT = EnumSet.of(
            FieldKind.TEXT,
            FieldKind.FILE,
            FieldKind.WHOLE,
            FieldKind.COUNT,
            FieldKind.NUMBER,
            FieldKind.FLAG,
            FieldKind.CHOICE,
            FieldKind.TIME,
            FieldKind.WHOLES,
            FieldKind.DECIMALS);

    private final Redaction redaction;
    private final UnaryOperator<RunInfo> runs;

    /**
     * The doors of a hub.
     *
     * @param runs what stands for a run in its events
     */
    public RecordRedactor(Redaction redaction, UnaryOperator<RunInfo> runs) {
        this.redaction = redaction;
        this.runs = runs;
    }

    /** The record without secrets. */
    public <R extends Record> R clean(R record) {
        @SuppressWarnings("unchecked") // a copy is of the same class
        R clean = (R) record(record);
        return clean;
    }

    /** The list without secrets. */
    public <T> List<T> clean(List<T> list) {
        @SuppressWarnings("unchecked") // each element is of its class still
        List<T> clean = list.isEmpty() ? list : (List<T>) list(list);
        return clean;
    }

    /** The address without secrets; empty where it is none without them. */
    public Optional<URI> clean(URI address) {
        String text = address.toString();
        String clean = redaction.text(text);
        if (clean.equals(text)) {
            return Optional.of(address);
        }
        try {
            return Optional.of(new URI(MARK.matcher(clean).replaceAll("%5B$1%5D")));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** The run as events name it: without secrets, and with the tag that says so where they were left in. */
    RunInfo run(RunInfo run) {
        RunInfo clean = clean(run);
        Map<String, String> tags = tags(clean.tags());
        return tags.equals(clean.tags())
                ? clean
                : RunInfoBuilder.builder(clean).tags(tags).build();
    }

    /** The tags of a run, without secrets, and with the one that says so where those are left in. */
    Map<String, String> tags(Map<String, String> tags) {
        Map<String, String> clean = new LinkedHashMap<>();
        tags.forEach((name, value) -> clean.put(
                redaction.name(String.valueOf(name)),
                String.valueOf(redaction.entry(String.valueOf(name), redaction.name(String.valueOf(value))))));
        if (!redaction.isEnabled()) {
            clean.put(TAG, OFF);
        }
        return clean;
    }

    private @Nullable Object value(@Nullable Object value) {
        if (value instanceof String text) {
            return redaction.name(text);
        } else if (value instanceof RunInfo run) {
            return runs.apply(run);
        } else if (value instanceof TraceContext context) {
            TraceContext clean = context.map(redaction::name); // which knows how it is written
            return clean.equals(context) ? context : clean;
        } else if (value instanceof Record record) {
            return record(record);
        } else if (value instanceof List<?> list) {
            return list(list);
        } else if (value instanceof Map<?, ?> map) {
            return map(map);
        }
        return value;
    }

    private Object record(Record record) {
        RecordSchema schema = RecordSchema.of(record.getClass());
        List<EventField> components = schema.components();
        @Nullable Object[] values = null;
        for (int i = 0; i < components.size(); i++) {
            if (WITHOUT_TEXT.contains(components.get(i).kind())) {
                continue;
            }
            Object before = components.get(i).get(record);
            Object after = value(before);
            if (!isSame(before, after)) {
                values = values == null
                        ? components.stream().map(each -> each.get(record)).toArray()
                        : values;
                values[i] = after;
            }
        }
        return values == null ? record : schema.make(values);
    }

    private List<?> list(List<?> list) {
        List<@Nullable Object> copy = null;
        for (int i = 0; i < list.size(); i++) {
            Object before = list.get(i);
            Object after = value(before);
            if (!isSame(before, after)) {
                copy = copy == null ? new ArrayList<>(list) : copy;
                copy.set(i, after);
            }
        }
        return copy == null ? list : copy;
    }

    private Map<?, ?> map(Map<?, ?> map) {
        Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
        boolean[] changed = new boolean[1];
        map.forEach((name, value) -> {
            Object cleanName = value(name);
            Object clean = redaction.entry(String.valueOf(name), value(value));
            changed[0] |= !isSame(name, cleanName) || !isSame(value, clean);
            copy.put(cleanName, clean);
        });
        return changed[0] ? copy : map;
    }

    private static boolean isSame(@Nullable Object before, @Nullable Object after) {
        return before == after || (before instanceof String && before.equals(after));
    }
}
