package dev.rlm.sinks.mlflow.rest;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Address of a tracking server, and what it lets us in by: user and password before those of the address, and these before a
 * token. Its text is the address without user and password.
 *
 * @param uri may hold a path, which all requests are below, and {@code user:password@}
 * @param user counts with a password alone
 * @param password counts with a user alone
 * @param tls what certificates to trust; {@code null} for those that Java trusts
 */
public record TrackingAccess(
        URI uri,
        @Nullable String user,
        @Nullable String password,
        @Nullable String token,
        @Nullable X509TrustManager tls) {
    /** One that asks for nothing. */
    public static TrackingAccess open(URI uri) {
        return new TrackingAccess(uri, null, null, null, null);
    }

    /** Adds what is trusted. */
    OkHttpClient.Builder secure(OkHttpClient.Builder client) {
        return "https".equalsIgnoreCase(uri.getScheme()) ? TrustedCertificates.secure(client, tls) : client;
    }

    /** The value of the header {@code Authorization}; {@code null} where there is none to be sent. */
    @Nullable
    String authorization() {
        String inUri = uri.getRawUserInfo();
        if (user != null && password != null) {
            return basic(user + ":" + password);
        } else if (inUri != null && inUri.contains(":")) {
            return basic(decoded(inUri));
        }
        return token == null ? null : "Bearer " + token;
    }

    private static String basic(String userAndPassword) {
        return "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /**
     * Returns the values to keep out of logs and runs: password and token, also in the encoded forms that they are sent
     * in.
     */
    public List<String> secrets() {
        String inUri = uri.getRawUserInfo();
        String given = inUri == null ? "" : inUri.substring(inUri.indexOf(':') + 1);
        String header = authorization();
        String sent = header == null ? "" : header.substring(header.indexOf(' ') + 1);
        return Stream.of(password, token, given, decoded(given), sent)
                .filter(secret -> secret != null && !secret.isEmpty())
                .distinct()
                .toList();
    }

    /** The address without user, password and query, and without a slash at its end. */
    public String address() {
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return (uri.getScheme() + "://" + uri.getHost() + port + path).replaceFirst("/+$", "");
    }

    @Override
    public String toString() {
        return address();
    }
}
