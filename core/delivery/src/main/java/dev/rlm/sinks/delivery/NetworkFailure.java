package dev.rlm.sinks.delivery;

import dev.rlm.sinks.delivery.Failure.Remedy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Meaning of exceptions between here and the server, in plain words. */
public final class NetworkFailure {
    /** The reason of a connection that was cut. */
    public static final String RESET = "export_reset";

    private static final String UNREACHABLE = "export_unreachable";
    private static final String TLS = "export_tls";

    private NetworkFailure() {}

    /** Returns the failure of a request that ended so. */
    public static Failure of(IOException error) {
        return of(error, "", "");
    }

    /**
     * Returns the same for a sink with variables of its own.
     *
     * @param trust the variable that says which certificates are trusted; may be empty
     * @param certificate the variable that says which certificate is shown; may be empty
     */
    public static Failure of(IOException error, String trust, String certificate) {
        if (error instanceof InterruptedIOException || error instanceof HttpTimeoutException) {
            return Failure.timeout();
        } else if (error instanceof UnknownHostException) {
            return Failure.of(UNREACHABLE, "the host is not known", Remedy.RETRY);
        } else if (error instanceof NoRouteToHostException) {
            return Failure.of(UNREACHABLE, "there is no way to the host", Remedy.RETRY);
        } else if (error instanceof ConnectException) {
            return Failure.of(UNREACHABLE, isRefused(error) ? "connection refused" : "no connection", Remedy.RETRY);
        } else if (error instanceof SSLException tls) {
            return tls(tls, hint(trust), hint(certificate));
        } else if (error instanceof ProtocolException) {
            return Failure.of("export_no_http", "what answers there is no HTTP", Remedy.NONE);
        }
        // A reset, an end too early, a stream or a connection given up: there are many ways to say so.
        return Failure.of(RESET, "the connection was cut before there was an answer", Remedy.RETRY);
    }

    private static String hint(String variable) {
        return variable.isEmpty() ? "" : " (" + variable + ")";
    }

    private static boolean isRefused(IOException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (text(cause).contains("refused")) {
                return true;
            }
        }
        return false;
    }

    private static Failure tls(SSLException error, String trust, String certificate) {
        String text = text(error);
        if (text.contains("plaintext connection") || text.contains("unrecognized ssl message")) {
            return Failure.of(TLS, "the answer is no TLS: looks like a port without (http://)", Remedy.NONE);
        } else if (error instanceof SSLPeerUnverifiedException) {
            return Failure.of(TLS, "the server's certificate is for another host", Remedy.NONE);
        } else if (text.contains("certification path") || text.contains("trustanchors")) {
            return Failure.of(TLS, "the server's certificate is not trusted" + trust, Remedy.NONE);
        } else if (text.contains("certificate_required") || text.contains("bad_certificate")) {
            return Failure.of(TLS, "the server wants a certificate" + certificate, Remedy.NONE);
        }
        boolean handshake = error instanceof SSLHandshakeException;
        return Failure.of(
                TLS, handshake ? "the TLS handshake failed" : "TLS failed", handshake ? Remedy.NONE : Remedy.RETRY);
    }

    private static String text(Throwable error) {
        return String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT);
    }
}
