package dev.rlm.runner.serve;

import dev.rlm.episodes.SetupException;
import dev.rlm.runner.openai.RolloutModel;
import dev.rlm.server.http.PathSegment;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.rollout.RolloutGateway;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Request of a trainer for a rollout.
 *
 * @param ids of the request's {@code metadata}, by name
 * @param messages without members that are null
 * @param tools OpenAI's list; empty where there is none
 * @param gateway where the trainer looks for the status
 * @param key the trainer's secret for the gateway; {@code null} where it sends none
 */
record InitRequest(
        Map<String, String> ids,
        ArrayNode messages,
        JsonNode tools,
        RolloutModel model,
        RolloutGateway gateway,
        @Nullable String key) {
    private static final List<String> IDS = List.of("rollout_id", "invocation_id", "experiment_id", "run_id", "row_id");
    private static final String FIRST = "/rollout_id/";
    private static final String MODEL = "/encoded_base_url/";
    private static final int MAX_ID = 1_000;
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,4096}");
    private static final Pattern ENCODED = Pattern.compile("[A-Za-z0-9_=-]{1,4096}");

    /**
     * Reads one.
     *
     * @param others the gateway and the key for rollouts whose address or request names none
     * @throws SetupException if it cannot be used
     */
    static InitRequest of(ObjectNode json, AllowedUrls allowed, Defaults others) {
        Map<String, String> ids =
                IDS.stream().collect(Collectors.toMap(Function.identity(), name -> id(json.path("metadata"), name)));
        if (!ids.values().stream().allMatch(PathSegment::isName)) {
            throw new SetupException("an id in metadata is not valid: one or two dots cannot be part of an address");
        }
        String address = text(json, "model_base_url", null);
        String key = text(json, "api_key", "");
        if (!key.isEmpty() && !KEY.matcher(key).matches()) {
            throw new SetupException("api_key is not valid: expected visible ASCII characters");
        }
        Address rebuilt = Address.of(address, ids, others);
        for (String target : List.of(rebuilt.gateway(), rebuilt.allowedPart())) {
            if (!allowed.allows(target) && !target.equals(others.gateway())) {
                throw new SetupException(
                        "model_base_url is at an address that is not allowed here: --allow-model-url says which are");
            }
        }
        String ofGateway = others.isGateway(rebuilt.gateway()) ? others.key() : null;
        String ofModel = others.isGateway(rebuilt.allowedPart()) ? others.key() : null;
        return new InitRequest(
                ids,
                RolloutModel.messages(json.path("messages")),
                json.path("tools").isArray() ? json.path("tools") : JsonNodeFactory.instance.arrayNode(),
                RolloutModel.of(rebuilt.model(), key.isEmpty() ? ofModel : key, params(json.path("completion_params"))),
                new RolloutGateway(rebuilt.gateway(), key.isEmpty() ? ofGateway : key),
                key.isEmpty() ? null : key);
    }

    private static String id(JsonNode metadata, String name) {
        String id = metadata.path(name).stringValue("");
        if (id.isBlank() || id.length() > MAX_ID) {
            throw new SetupException(
                    "metadata." + name + " is missing: expected a text of up to " + MAX_ID + " characters");
        }
        return id;
    }

    private static String text(JsonNode json, String name, @Nullable String standard) {
        JsonNode value = json.path(name);
        if (value.isString()) {
            return value.stringValue();
        } else if (standard != null && (value.isNull() || value.isMissingNode())) {
            return standard;
        }
        throw new SetupException(name + " is missing: expected a text");
    }

    private static JsonNode params(JsonNode params) {
        if (!params.isObject()) {
            throw new SetupException("completion_params is missing: expected an object");
        }
        return params;
    }

    String rollout() {
        return ids.getOrDefault("rollout_id", "");
    }

    String row() {
        return ids.getOrDefault("row_id", "");
    }

    /** Returns what joins the run to the trainer. */
    CorrelationBuilder correlation() {
        return Correlation.builder()
                .rollout(rollout())
                .invocation(ids.get("invocation_id"))
                .experiment(ids.get("experiment_id"))
                .trainerRun(ids.get("run_id"))
                .row(row());
    }

    /**
     * Defaults for requests; {@code null} for none.
     *
     * @param gateway the address that statuses are sent to
     * @param key signs in there, and nowhere else
     */
    record Defaults(@Nullable String gateway, @Nullable String key) {
        boolean isGateway(String address) {
            return address.equals(gateway);
        }
    }

    /**
     * Addresses of a rollout. An id stands in the trainer's as the user wrote it, so that it may be no address: it is built again.
     *
     * @param allowedPart the part of the model's address that no id can change
     */
    private record Address(String model, String gateway, String allowedPart) {
        static Address of(String given, Map<String, String> ids, Defaults others) {
            int at = given.indexOf(FIRST);
            if (at < 0) {
                if (others.gateway() == null) {
                    throw new SetupException("model_base_url has no " + FIRST + ", and " + ServeCommand.GATEWAY
                            + " is not set: the rollout's status could not be sent");
                }
                String base = trimmed(given);
                return new Address(base, others.gateway(), base);
            }
            String gateway = trimmed(given.substring(0, at));
            String path = IDS.stream()
                    .map(name -> "/" + name + "/" + PathSegment.encoded(ids.getOrDefault(name, "")))
                    .collect(Collectors.joining());
            int model = given.lastIndexOf(MODEL);
            String where =
                    model < 0 ? "" : given.substring(model + MODEL.length()).replaceFirst("/+$", "");
            boolean tail = ENCODED.matcher(where).matches();
            return new Address(gateway + path + (tail ? MODEL + where : ""), gateway, gateway);
        }

        private static String trimmed(String base) {
            return base.replaceFirst("/+$", "");
        }
    }
}
