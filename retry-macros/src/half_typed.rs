//! What an editor sees while somebody types: whatever is there, the function stays in the output, and nothing panics.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::expand::attribute;

/// The tokens, cut off at every place, in groups too: each time what stands before the cut.
fn cuts(tokens: &TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut cut = vec![TokenStream::new()];
    for (place, token) in tokens.iter().enumerate() {
        let before: TokenStream = tokens.iter().take(place).cloned().collect();
        if let TokenTree::Group(group) = token {
            for inside in cuts(&group.stream()) {
                let mut tokens = before.clone();
                tokens.extend([TokenTree::from(Group::new(group.delimiter(), inside))]);
                cut.push(tokens);
            }
        }
        let mut tokens = before;
        tokens.extend([token.clone()]);
        cut.push(tokens);
    }
    cut
}

fn all_keys() -> TokenStream {
    quote! {
        total = "1s", per_attempt = self.limits.per_attempt, attempts = 5,
        on = ConnectionError | StoreError::Busy { code: 500..=599, .. } | source(io::Error) | <T as Service>::Error | _,
        when = |error: &StoreError| error.is_busy(), when_ok = Page::is_stale, backoff = "none", factor = 1.5,
        max_backoff = LIMITS[1], jitter = "full", retry_after = StoreError::retry_after, retry_after_ok = |_| None,
        idempotent = false, nested = "retry", min_attempt = "5ms", margin = "1ms", deadline = request.deadline,
        policy = &POLICY, fallback = async |give_up: RetryError<StoreError>| { Ok(cached(give_up).await) },
        crate = ::my::retry_runtime, skip, unknown = 1,
    }
}

fn item(body: TokenStream) -> TokenStream {
    quote!(#[doc = "Loads."] pub(crate) async fn load(self, (a, mut b): (u32, String)) -> Result<u32, StoreError> { #body })
}

fn body() -> TokenStream {
    quote! {
        #![allow(unused)]
        let Some(c) = self.get(a, b).await? else { return Err(StoreError::Missing) };
        let f = async move { select! { x = self.next() => x?, _ = c.done() => return Ok(1) } };
        fn nested(self) -> u32 { self.x }
        match f.await { Ok(n) if n > 3 => Ok(n), other => other.map_err(|e| e.into()) }
    }
}

#[test]
fn an_attribute_cut_anywhere_keeps_the_function() {
    for args in cuts(&all_keys()) {
        let output = attribute(args.clone(), item(body())).to_string();
        assert!(output.contains("async fn load"), "{args}");
        assert!(output.contains("fn nested"), "{args}");
    }
}

#[test]
fn a_body_cut_anywhere_keeps_the_function() {
    for body in cuts(&body()) {
        let output = attribute(quote!(on = _), item(body.clone())).to_string();
        assert!(output.contains("async fn load"), "{body}");
        assert!(!output.contains("compile_error"), "{body}");
    }
}

#[test]
fn a_half_typed_line_is_still_there() {
    let item = quote!(async fn f(s: String) -> Result<u32, Error> { s. });
    let output = attribute(quote!(attempts = 2, on = Error), item).to_string();
    assert!(
        output.contains("async fn f") && output.contains("s .") && !output.contains("compile_error"),
        "{output}"
    );
}

#[test]
fn an_item_cut_anywhere_is_no_panic() {
    let boxed = quote! {
        #[inline]
        fn load<'a>(&'a self, key: String) -> Pin<Box<dyn Future<Output = Result<u32, Error>> + Send + 'a>> {
            let other = key.clone();
            Box::pin(async move { let __self = self; let key = key; let __ret: Result<u32, Error> = { f(key) }; __ret })
        }
    };
    let block = quote! {
        impl<T: Service> Store for Client<T> {
            const N: u32 = 1;
            type Item = T;
            #[retry(attempts = 2, on = T::Error)]
            pub async fn get(&self) -> Result<u32, Error> { Ok(1) }
            #[retry(skip)]
            async fn skipped(&self) {}
            fn plain(&self) -> u32 { 1 }
            more! {}
        }
    };
    for whole in [item(body()), boxed, block] {
        for cut in cuts(&whole) {
            let output = attribute(quote!(on = _), cut.clone()).to_string();
            for name in ["fn load", "fn get", "fn skipped", "fn plain"] {
                assert_eq!(output.contains(name), cut.to_string().contains(name), "{cut}");
            }
        }
    }
}

#[test]
fn a_fragment_of_a_macro_is_as_good_as_what_it_stands_for() {
    let in_group = |tokens: TokenStream| TokenTree::from(Group::new(Delimiter::None, tokens));
    let (attempts, total, ty) = (in_group(quote!(2)), in_group(quote!("1s")), in_group(quote!(Error)));
    let (result, body) = (in_group(quote!(Result<u32, Error>)), in_group(quote!({ Ok(1) })));
    let output = attribute(
        quote!(attempts = #attempts, total = #total, on = #ty),
        TokenStream::from(in_group(quote!(async fn f() -> #result #body))),
    );
    let text = output.to_string();
    assert!(text.contains("attempts (2u32)") && !text.contains("compile_error"), "{text}");
}
