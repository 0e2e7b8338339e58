package dev.rlm.runner.openai;

import dev.rlm.cli.json.JsonTree;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** What servers say of an error, each in its own form. */
final class ServerError {
    private ServerError() {}

    /** The server's own words; of a body in no known form, its text. */
    static String message(String body) {
        return ChatException.oneLine(find(body));
    }

    private static String find(String body) {
        Map<String, @Nullable Object> fields;
        try {
            fields = JsonTree.object(body);
        } catch (JacksonException e) {
            return body;
        }
        Object error = fields.get("error");
        String message = error instanceof String text ? text : Fields.of(error).text("message");
        if (message == null) {
            message = new Fields(fields).text("message", "detail");
        }
        return message == null ? body : message;
    }
}
