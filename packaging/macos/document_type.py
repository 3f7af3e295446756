"""What the Info.plist of the macOS program adds: experiments are its documents, and it is sharp on fine displays."""

from __future__ import annotations

from typing import Any

TYPE = "org.attnexplorer.experiment"

INFO: dict[str, Any] = {
    "CFBundleDisplayName": "Attention Explorer",
    "LSApplicationCategoryType": "public.app-category.education",
    "NSHighResolutionCapable": True,
    "NSRequiresAquaSystemAppearance": False,
    "CFBundleDocumentTypes": [
        {
            "CFBundleTypeName": "Attention experiment",
            "CFBundleTypeRole": "Editor",
            "LSHandlerRank": "Owner",
            "LSItemContentTypes": [TYPE],
        }
    ],
    "UTExportedTypeDeclarations": [
        {
            "UTTypeIdentifier": TYPE,
            "UTTypeDescription": "Attention experiment",
            "UTTypeConformsTo": ["public.json"],
            "UTTypeTagSpecification": {
                "public.filename-extension": ["attn"],
                "public.mime-type": ["application/x-attn"],
            },
        }
    ],
}
