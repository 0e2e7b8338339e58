package dev.rlm.sinks.otel.otlp;

import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.ProxyOptions;
import java.net.ProxySelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Where and how requests are sent: what the SDK says for both protocols.
 *
 * @param timeout of a whole request, from the connection to the answer's last byte
 */
record Target(
        HttpUrl url,
        Dialect dialect,
        @Nullable Compressor compressor,
        Duration timeout,
        Duration connectTimeout,
        Supplier<Map<String, List<String>>> headers,
        @Nullable SSLContext sslContext,
        @Nullable X509TrustManager trustManager,
        @Nullable ProxySelector proxy) {

    static Target of(HttpSenderConfig config) {
        ProxyOptions proxy = config.getProxyOptions();
        return new Target(
                HttpUrl.get(config.getEndpoint().toString()),
                new HttpDialect(MediaType.get(config.getContentType())),
                config.getCompressor(),
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getHeadersSupplier(),
                config.getSslContext(),
                config.getTrustManager(),
                proxy == null ? null : proxy.getProxySelector());
    }

    static Target of(GrpcSenderConfig config) {
        return new Target(
                HttpUrl.get(config.getEndpoint()
                        .resolve("/" + config.getFullMethodName())
                        .toString()),
                new GrpcDialect(),
                config.getCompressor(),
                config.getTimeout(),
                config.getConnectTimeout(),
                config.getHeadersSupplier(),
                config.getSslContext(),
                config.getTrustManager(),
                null);
    }

    /** Adds what is trusted, what is shown, and the way there. */
    OkHttpClient.Builder secure(OkHttpClient.Builder client) {
        if (sslContext != null && trustManager != null) {
            client.sslSocketFactory(sslContext.getSocketFactory(), trustManager);
        }
        return proxy == null ? client : client.proxySelector(proxy);
    }
}
