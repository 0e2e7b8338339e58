package dev.rlm.cli.terminal;

import dev.rlm.sinks.Ledger;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Common parts of the JSON that commands print. */
public final class JsonOutput {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonOutput() {}

    /** Prints one object on a line of its own. */
    public static void print(PrintWriter out, Consumer<JsonGenerator> properties) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartObject();
            properties.accept(generator);
            generator.writeEndObject();
        }
        out.println(Printable.json(text.toString()));
        out.flush();
    }

    /** A number; NaN, which JSON does not have, is {@code null}. */
    public static void number(JsonGenerator generator, String name, double value) {
        if (Double.isNaN(value)) {
            generator.writeNullProperty(name);
        } else {
            generator.writeNumberProperty(name, value);
        }
    }

    public static void text(JsonGenerator generator, String name, @Nullable String value) {
        generator.writeStringProperty(name, value);
    }

    public static void ledger(JsonGenerator generator, Ledger ledger) {
        generator.writeObjectPropertyStart("ledger");
        generator.writeNumberProperty("offered", ledger.offered());
        generator.writeNumberProperty("delivered", ledger.delivered());
        generator.writeObjectPropertyStart("dropped");
        ledger.dropped().forEach((reason, count) -> generator.writeNumberProperty(reason, count));
        generator.writeEndObject();
        generator.writeNumberProperty("queued", ledger.queued());
        generator.writeEndObject();
    }
}
