package dev.rlm.gateway;

import dev.rlm.server.http.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Places that calls may be forwarded to. A path names one only as far as a pattern allows it.
 *
 * @param standard where all go that nothing else is said of
 * @param routes by the model's name
 */
record Upstreams(@Nullable HttpUrl standard, Map<String, HttpUrl> routes, List<Allowed> allowed) {
    /** Destination of a call; {@code keyed} if the gateway's own key may go there, too. */
    record Upstream(HttpUrl base, boolean keyed) {
        /** The URL of something below the base, with the query as it came. */
        HttpUrl url(String rest, @Nullable String query) {
            HttpUrl.Builder url = base.newBuilder();
            if (!rest.isEmpty()) {
                url.addEncodedPathSegments(rest);
            }
            return url.encodedQuery(query == null ? base.encodedQuery() : query).build();
        }
    }

    /** A pattern such as {@code http://127.0.0.1:*}: scheme, host and port, and where it goes on, the beginning of the path. */
    record Allowed(Pattern origin, String path) {
        private static final Pattern FORM =
                Pattern.compile("(https?)://([^/:@?#]+|\\[[0-9a-fA-F:.]+])(?::(\\d+|\\*))?(/[^?#]*)?");

        /** Reads it. */
        static @Nullable Allowed of(String text) {
            var parts = FORM.matcher(text);
            if (!parts.matches()) {
                return null;
            }
            String port =
                    parts.group(3) == null ? Integer.toString(HttpUrl.defaultPort(parts.group(1))) : parts.group(3);
            String path = parts.group(4) == null ? "/" : parts.group(4);
            return new Allowed(
                    Pattern.compile(
                            glob(parts.group(1) + "://" + parts.group(2)) + ":" + (port.equals("*") ? "\\d+" : port)),
                    path.endsWith("/") ? path : path + "/");
        }

        private static String glob(String text) {
            return Pattern.quote(text).replace("*", "\\E[^/@:]*\\Q");
        }

        boolean permits(HttpUrl url) {
            String host = url.host().contains(":") ? "[" + url.host() + "]" : url.host();
            return origin.matcher(url.scheme() + "://" + host + ":" + url.port())
                            .matches()
                    && (url.encodedPath() + "/").startsWith(path);
        }
    }

    /** Returns where a call goes. */
    Upstream target(@Nullable String encoded, String model) throws RefusedException {
        if (encoded != null) {
            return new Upstream(named(encoded), false);
        }
        HttpUrl url = routes.getOrDefault(model, standard);
        if (url == null) {
            throw new RefusedException(
                    404, "no upstream is known for this model: the gateway was started with --route for others only");
        }
        return new Upstream(url, true);
    }

    private HttpUrl named(String encoded) throws RefusedException {
        HttpUrl url = HttpUrl.parse(decoded(encoded));
        if (url == null || !url.username().isEmpty() || !url.password().isEmpty()) {
            throw new RefusedException(400, "encoded_base_url is not valid: expected a URL in URL-safe base64");
        }
        List<Allowed> permitting = new ArrayList<>(allowed);
        permitting.removeIf(each -> !each.permits(url));
        if (permitting.isEmpty()) {
            throw new RefusedException(
                    403, "the upstream that the path names is not allowed: --allow-upstream permits some");
        }
        return url;
    }

    private static String decoded(String encoded) {
        try {
            return new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
