package dev.rlm.console;

import dev.rlm.cli.Token;
import dev.rlm.server.http.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/**
 * Rule of who may look: a browser of this machine that was given the link, and other clients that have the token. A page of
 * another origin may neither ask nor show what is here.
 *
 * @param port at which the server listens
 * @param once what opens the pages once in the token's place; none by then
 */
record AccessFilter(Token token, int port, AtomicReference<@Nullable Token> once) {
    private static final String LINK = "t"; // parameter of the link with the token
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
                    + " trusted-types dompurify";
    private static final Map<String, String> HEADERS = Map.of(
            "content-security-policy", POLICY,
            "x-content-type-options", "nosniff",
            "referrer-policy", "no-referrer",
            "cross-origin-opener-policy", "same-origin",
            "cross-origin-resource-policy", "same-origin",
            "cache-control", "no-store");

    /** Returns the server's address, without a path. */
    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** Returns the link that opens the pages. */
    String link() {
        return link(token);
    }

    /** Returns one that opens them once: for the arguments of a program, which other users of the machine can read. */
    String linkForOnce() {
        Token made = Token.random();
        once.set(made);
        return link(made);
    }

    private String link(Token with) {
        return url() + "/?" + LINK + "=" + UrlEncoding.encode(with.value());
    }

    /**
     * Checks who asks.
     *
     * @return the address to go to, with the token in a cookie from now on; {@code null} where the request is to be answered
     */
    @Nullable
    String open(Request request, Response response) throws RefusedException {
        HEADERS.forEach((name, value) -> response.getHeaders().put(name, value));
        HttpFields headers = request.getHeaders();
        checkPlace(headers);
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            throw RefusedException.allowing("GET");
        }
        String given = Request.extractQueryParameters(request).getValue(LINK);
        if (given != null && (token.isIn("Bearer " + given) || isForOnce(given))) {
            Response.addCookie(
                    response,
                    HttpCookie.build(cookie(), UrlEncoding.encode(token.value()))
                            .path("/")
                            .httpOnly(true)
                            .sameSite(HttpCookie.SameSite.STRICT)
                            .build());
            return withoutToken(request);
        }
        boolean known = token.isIn(headers.get("authorization"))
                || Request.getCookies(request).stream()
                        .anyMatch(cookie -> cookie.getName().equals(cookie()) && isToken(cookie.getValue()));
        if (!known) {
            throw new RefusedException(401, "open the link that 'rlm view' printed: it has the token");
        }
        return null;
    }

    private boolean isForOnce(String given) {
        Token made = once.get();
        return made != null && made.isIn("Bearer " + given) && once.compareAndSet(made, null);
    }

    private boolean isToken(String encoded) {
        try {
            return token.isIn("Bearer " + UrlEncoding.decode(encoded));
        } catch (IllegalArgumentException e) {
            return false; // it is none of ours
        }
    }

    private String cookie() {
        return "rlm_view_" + port; // cookies know no ports
    }

    private void checkPlace(HttpFields headers) throws RefusedException {
        Set<String> here = Set.of("127.0.0.1:" + port, "localhost:" + port);
        String host = headers.get("host");
        if (host == null || !here.contains(host)) {
            throw new RefusedException(403, "the Host header must be 127.0.0.1:" + port + " or localhost:" + port);
        }
        String origin = headers.get("origin");
        if (origin != null && !origin.equals("http://" + host)) {
            throw new RefusedException(403, "pages of other places may not ask here");
        }
        String site = headers.get("sec-fetch-site");
        boolean typed = "none".equals(site) && "navigate".equals(headers.get("sec-fetch-mode"));
        if (site != null && !site.equals("same-origin") && !typed) {
            throw new RefusedException(403, "pages of other places may not ask here");
        }
    }

    private static String withoutToken(Request request) {
        Fields query = new Fields(Request.extractQueryParameters(request));
        query.remove(LINK);
        StringBuilder address = new StringBuilder(request.getHttpURI().getCanonicalPath());
        String before = "?";
        for (Fields.Field field : query) {
            for (String value : List.copyOf(field.getValues())) {
                address.append(before)
                        .append(UrlEncoding.encode(field.getName()))
                        .append('=')
                        .append(UrlEncoding.encode(value));
                before = "&";
            }
        }
        return address.toString()
                .replaceFirst("^[/\\\\]+", "/"); // never that of another place: to browsers both are slashes
    }
}
